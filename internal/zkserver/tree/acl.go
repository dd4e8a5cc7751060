package tree

import (
	"crypto/sha1"
	"encoding/base64"
	"net/netip"
	"slices"
	"strings"
)

// Permissions of an [ACL]; they may be or-ed.
const (
	Read int32 = 1 << iota
	Write
	CreateChild
	DeleteChild
	Admin
	All = Read | Write | CreateChild | DeleteChild | Admin
)

// An ID is who somebody is in one authentication scheme: world, auth, digest
// or ip; or super, whom no ACL holds back.
type ID struct {
	Scheme, ID string
}

// An ACL gives the permissions of one ID.
type ACL struct {
	Perms int32
	ID    ID
}

// Anyone is the ACL that lets everybody do everything.
func Anyone() []ACL { return []ACL{{All, ID{"world", "anyone"}}} }

// DigestID returns the identity that "user:password" proves in the digest
// scheme.
func DigestID(userPassword string) ID {
	user, _, _ := strings.Cut(userPassword, ":")
	sum := sha1.Sum([]byte(userPassword))
	return ID{"digest", user + ":" + base64.StdEncoding.EncodeToString(sum[:])}
}

// allowed reports whether someone known by ids has one of perms on acl.
func allowed(acl []ACL, perms int32, ids []ID) bool {
	if len(acl) == 0 || slices.ContainsFunc(ids, func(id ID) bool { return id.Scheme == "super" }) {
		return true
	}
	for _, a := range acl {
		if a.Perms&perms != 0 && (a.ID == ID{"world", "anyone"} || slices.ContainsFunc(ids, a.ID.matches)) {
			return true
		}
	}
	return false
}

// matches reports whether the ID of an ACL covers the identity who.
func (id ID) matches(who ID) bool {
	if id.Scheme != who.Scheme {
		return false
	}
	switch id.Scheme {
	case "digest":
		return id.ID == who.ID
	case "ip":
		net, ok1 := ipPrefix(id.ID)
		addr, err := netip.ParseAddr(who.ID)
		return ok1 && err == nil && net.Contains(addr)
	}
	return false
}

// ipPrefix reads the ID of an ip ACL: an address, or an address/bits.
func ipPrefix(s string) (netip.Prefix, bool) {
	if addr, err := netip.ParseAddr(s); err == nil {
		return netip.PrefixFrom(addr, addr.BitLen()), true
	}
	p, err := netip.ParsePrefix(s)
	return p, err == nil
}

// resolve returns the ACL to store for acl: without duplicates, and with the
// caller's own identities in the place of the auth scheme. It is InvalidACL if
// nothing is left, a scheme is unknown or an ID malformed.
func resolve(acl []ACL, ids []ID) ([]ACL, Code) {
	var out []ACL
	for i, a := range acl {
		if slices.Contains(acl[:i], a) {
			continue
		}
		switch a.ID.Scheme {
		case "world":
			if a.ID.ID != "anyone" {
				return nil, InvalidACL
			}
			out = append(out, a)
		case "auth":
			n := len(out)
			for _, id := range ids {
				if id.Scheme == "digest" {
					out = append(out, ACL{a.Perms, id})
				}
			}
			if len(out) == n {
				return nil, InvalidACL
			}
		case "digest":
			if strings.Count(a.ID.ID, ":") != 1 {
				return nil, InvalidACL
			}
			out = append(out, a)
		case "ip":
			if _, ok := ipPrefix(a.ID.ID); !ok {
				return nil, InvalidACL
			}
			out = append(out, a)
		default:
			return nil, InvalidACL
		}
	}
	if len(out) == 0 {
		return nil, InvalidACL
	}
	return out, OK
}

// masked returns acl with the password hashes of digest IDs replaced by x, as
// ZooKeeper shows it to those who may read the node but not administer it.
func masked(acl []ACL) []ACL {
	acl = slices.Clone(acl)
	for i, a := range acl {
		if user, _, ok := strings.Cut(a.ID.ID, ":"); ok && a.ID.Scheme == "digest" {
			acl[i].ID.ID = user + ":x"
		}
	}
	return acl
}

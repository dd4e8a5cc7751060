package fetch

import "github.com/kspout/kspout/offsets"

// byTopic writes what a request says of partitions, topic by topic; each writes
// the fields of one.
func (w *writer) byTopic(ps []located, each func(located)) {
	groups := make(map[string][]located)
	for _, p := range ps {
		groups[p.partition.Topic] = append(groups[p.partition.Topic], p)
	}
	w.array(len(groups))
	for topic, group := range groups {
		w.string(topic)
		w.array(len(group))
		for _, p := range group {
			each(p)
			w.tags()
		}
		w.tags()
	}
}

// readByTopic reads what an answer says of partitions, to its end; each reads the
// fields of one. what names the answer in the error of one that is malformed.
func readByTopic[A any](r *reader, what string, each func() (number int32, a A)) (map[offsets.Partition]A, error) {
	got := make(map[offsets.Partition]A)
	for range r.array() {
		topic := r.string()
		for range r.array() {
			number, a := each()
			r.tags()
			if r.bad {
				return nil, r.fault("malformed " + what)
			}
			got[offsets.Partition{Topic: topic, Number: number}] = a
		}
		r.tags()
	}
	r.tags()
	return got, nil
}

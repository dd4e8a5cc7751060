package main

import (
	"errors"
	"time"

	"github.com/spf13/pflag"

	"github.com/kspout/kspout/spout"
)

// tailFlags are the flags of tail as they were given.
type tailFlags struct {
	brokers, zk, topic, partitions  string
	id, instance, root              string
	ignoreStored                    bool
	metadataMaxAge, commitInterval  time.Duration
	offset, output, format, isolate string
	count                           int64
	atEnd, verbose                  bool
	failRate                        float64
	seed                            uint64
	workers                         int
	security                        securityFlags
}

const defaultFormat = `%v\n`

func (f *tailFlags) register(fs *pflag.FlagSet) {
	fs.SortFlags = false
	brokersFlag(fs, &f.brokers)
	envString(fs, &f.zk, "zk", "z", "SPOUT_ZK", "localhost:2181", "ZooKeeper `servers`, as host:port,…")
	topicFlag(fs, &f.topic)
	fs.StringVarP(&f.partitions, "partitions", "p", "", "only these partitions, as `0,1` (default: all)")
	envString(fs, &f.id, "id", "", "SPOUT_ID", "spout-demo", "`name` of the consumer, under which offsets are stored")
	envString(fs, &f.instance, "instance", "", "SPOUT_INSTANCE", "", "`name` of this deployment of it (default: that of --id)")
	fs.BoolVar(&f.ignoreStored, "ignore-stored", false, "start as if nothing were stored, where another instance stored it")
	envString(fs, &f.root, "root", "", "SPOUT_ROOT", "/spout", "ZooKeeper `path` under which offsets are stored")
	fs.DurationVar(&f.metadataMaxAge, "metadata-max-age", 10*time.Second, "find new partitions within this time")
	fs.StringVarP(&f.offset, "offset", "o", "start", "where to `start` if nothing is stored: start, end, an offset N, -N for the last N, @UNIXMS")
	fs.Int64VarP(&f.count, "count", "n", 0, "end after `N` records, when they are acked and committed (default: never)")
	fs.BoolVarP(&f.atEnd, "end", "e", false, "end where the log ended at the start, when all is acked and committed")
	fs.StringVar(&f.output, "output", "text", "`form` of the output: text or json")
	fs.StringVarP(&f.format, "format", "f", defaultFormat, "`format` of text: %t %p %o %k %v %h, %T (timestamp in Unix ms), %a (attempt), \\n, \\t")
	fs.Float64Var(&f.failRate, "fail-rate", 0, "fail this `share` of deliveries, at least 0 and below 1; they are retried")
	fs.Uint64Var(&f.seed, "seed", 1, "what --fail-rate's choice depends on")
	fs.IntVar(&f.workers, "workers", 0, "ack by this many workers (default: by the partitions' own)")
	fs.StringVar(&f.isolate, "isolation", "committed", "which records of transactions to show: committed or uncommitted")
	fs.DurationVar(&f.commitInterval, "commit-interval", 2*time.Second, "store offsets this often")
	fs.BoolVarP(&f.verbose, "verbose", "v", false, "say on standard error what opens, closes and connects")
	f.security.register(fs)
}

// config returns what the flags mean to a spout. The rest of it is in job.
func (f *tailFlags) config(fs *pflag.FlagSet) (spout.Config, error) {
	cfg := spout.Config{
		Brokers: addresses(f.brokers), ZooKeeper: addresses(f.zk), Topics: []string{f.topic},
		ID: f.id, Instance: f.instance, IgnoreStored: f.ignoreStored, Root: f.root,
		MetadataMaxAge: f.metadataMaxAge, CommitInterval: f.commitInterval, StopAtEnd: f.atEnd,
	}
	var err error
	switch {
	case f.topic == "":
		return cfg, usagef("-t is missing: name a topic")
	case fs.Changed("count") && f.count < 1:
		return cfg, usagef("-n is %d: want at least 1", f.count)
	case fs.Changed("workers") && f.workers < 1:
		return cfg, usagef("--workers is %d: want at least 1", f.workers)
	case f.metadataMaxAge <= 0:
		return cfg, usagef("--metadata-max-age is %v: want more than 0", f.metadataMaxAge)
	case f.commitInterval <= 0:
		return cfg, usagef("--commit-interval is %v: want more than 0", f.commitInterval)
	case f.root == "":
		return cfg, usagef("--root is empty: want a path, as /spout")
	}
	if cfg.Start, err = parseStart(f.offset); err != nil {
		return cfg, err
	}
	if fs.Changed("partitions") {
		numbers, err := parsePartitions(f.partitions)
		if err != nil {
			return cfg, err
		}
		cfg.Assign = spout.Partitions(numbers...)
	}
	switch f.isolate {
	case "committed":
	case "uncommitted":
		cfg.Isolation = spout.ReadUncommitted
	default:
		return cfg, usagef("--isolation is %q: want committed or uncommitted", f.isolate)
	}
	secure, err := f.security.parse()
	if err != nil {
		return cfg, err
	}
	cfg.TLS = secure.tls
	cfg.SASL, err = secure.sasl()
	return cfg, err
}

// form returns how a line looks.
func (f *tailFlags) form(fs *pflag.FlagSet) (appender, error) {
	switch {
	case f.output == "text":
		return parseFormat(f.format)
	case f.output != "json":
		return nil, usagef("--output is %q: want text or json", f.output)
	case fs.Changed("format"):
		return nil, usagef("-f is the format of text: leave it out with --output json")
	}
	return appendJSON, nil
}

// job returns what tail does with records.
func (f *tailFlags) job(fs *pflag.FlagSet) (tailJob, error) {
	form, err := f.form(fs)
	if err != nil {
		return tailJob{}, err
	}
	if err := checkRate("--fail-rate", f.failRate); err != nil {
		return tailJob{}, err
	}
	return tailJob{form: form, fail: failRate{f.failRate, f.seed}, count: f.count, workers: f.workers}, nil
}

// flagOf names the flags behind the fields of a spout.Config.
var flagOf = map[string]string{
	"Brokers": "--brokers", "ZooKeeper": "--zk", "Topics": "--topic", "ID": "--id", "Root": "--root",
	"Assign": "-p", "Start": "-o",
}

// configUsage turns the faults of a spout.Config into one of usage that names
// flags.
func configUsage(err error) error {
	var errs []error
	for _, e := range leaves(err) {
		if ce, ok := errors.AsType[*spout.ConfigError](e); ok && flagOf[ce.Field] != "" {
			e = errors.New(flagOf[ce.Field] + " " + ce.Reason)
		}
		errs = append(errs, e)
	}
	return &usageError{errors.Join(errs...)}
}

// leaves returns the errors that err joins.
func leaves(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, leaves(e)...)
	}
	return all
}

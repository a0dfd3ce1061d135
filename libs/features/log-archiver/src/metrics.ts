import { Counter, Histogram } from 'prom-client';

export const ingestBytes = new Counter({ name: 'triphammer_log_ingest_bytes_total', help: 'Bytes of log rows stored, before compression' });

export const appendSeconds = new Histogram({
  name: 'triphammer_log_append_seconds',
  help: 'From a batch of log rows to its acknowledgement',
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
});

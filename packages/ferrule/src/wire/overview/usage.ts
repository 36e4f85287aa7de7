/** Calls over time, on the wire. */
import { int, list, num, oneOf, opt, time } from '../../definition/index.ts'
import { errorCode, faults } from '../problem.ts'
import { part, query, record, recordOrNull, uuid, type Wire } from '../schemas.ts'

export const usageSteps = ['5m', '1h', '1d'] as const
/** Length of a bucket. */
export type UsageStep = (typeof usageSteps)[number]

/** Most buckets of an answer: 14 days of five minutes. */
export const mostUsageBuckets = 4_032

const counted = {
  calls: int('Calls of clients that reached the connector, searches of the copy included, calls of syncs not'),
  failed: int('Calls that ended with an error'),
  aborted: int('Calls whose client left before the answer'),
  errors: list(
    part(
      { code: errorCode, fault: oneOf('Who has to act', ...faults), calls: int('Calls that ended with this error') },
      'Calls that ended with one error code',
    ),
    'Failed calls by error code, the most frequent first',
  ),
  latency: recordOrNull(
    part(
      {
        p50_ms: num('Half of the calls took at most so long, in milliseconds'),
        p95_ms: num('95 % of the calls took at most so long, in milliseconds'),
        p99_ms: num('99 % of the calls took at most so long, in milliseconds'),
      },
      'Time of calls until their answer began, estimated from a histogram: the error is at most the width of a bin (1, 2, 5, 10 ms and so on, up to 60 s)',
    ),
  ),
}

const usageBucket = part({ time: time('Begin of the bucket'), ...counted }, 'Calls of one bucket')
/** Calls of one bucket. */
export type UsageBucket = Wire<typeof usageBucket>

const usageTotal = part(counted, 'All calls of the range')
/** All calls of a range. */
export type UsageTotal = Wire<typeof usageTotal>

export const usageReport = record(
  'Usage',
  {
    from: time('Begin of the first bucket'),
    to: time('End of the last bucket'),
    step: oneOf('Length of a bucket', ...usageSteps),
    kept_from: time('Older buckets of this length have been deleted'),
    total: usageTotal,
    data: list(usageBucket, 'Buckets, the oldest first; buckets without a call included'),
  },
  'Calls over time; latency is null without a call that ended',
)
/** Calls over time. */
export type UsageReport = Wire<typeof usageReport>

export const usageQuery = query({
  from: opt(time('Begin of the range, before the end of it; left out: 24 hours before.')),
  to: opt(time('End of the range, not included; left out: now.')),
  step: opt(oneOf('Length of a bucket; left out: 5m up to two days, 1h up to 30 days, else 1d. Days are those of UTC.', ...usageSteps)),
  connector_id: opt(uuid('Only calls of this connector.')),
  workspace_id: opt(uuid('Only calls of connectors in this workspace.')),
})
/** Which calls are counted. */
export type UsageQuery = Wire<typeof usageQuery>

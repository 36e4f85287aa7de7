/** `aggregate`: counts and groups the records of the copy that the service keeps. */
import { parseGroups, parseMeasures } from '../../values/aggregate-text.ts'
import { parseInclude } from '../../values/include-text.ts'
import { defineTool, type RunningCall, readStrings, reads } from '../context.ts'
import { type CopyReading, readConditions, readCopy, readFilter, readPage } from '../copied.ts'
import { aggregate as action } from '../reading.ts'
import { connectorRule } from './execute.ts'

function readParams(running: RunningCall): Readonly<Record<string, unknown>> {
  const [groups, measures] = [readStrings(running, 'group_by'), readStrings(running, 'measures')]
  return {
    query: { filter: readFilter(running) },
    group_by: groups === undefined ? undefined : parseGroups(groups),
    measures: measures === undefined ? undefined : parseMeasures(measures),
    include: parseInclude(readStrings(running, 'include') ?? []),
    having: readConditions(running, 'having'),
    ...readPage(running),
  }
}

const reading: CopyReading = {
  tool: 'aggregate',
  action,
  readParams,
  example: (field) => ({ where: `${field} is not null`, measures: ['count', `distinct(${field})`] }),
}

/** Counts and groups the copy. */
export const aggregate = defineTool({
  name: 'aggregate',
  description: 'Count and group the records of the synced copy of an entity: how many, which most, sums, averages; exact.',
  rules: {
    connector: connectorRule,
    entity: { type: 'string', about: 'Searchable entity', required: true },
    where: { type: 'string', about: 'Conditions as in search' },
    filter: { type: 'object', about: 'The same as JSON' },
    group_by: {
      type: 'strings',
      about: 'Fields; times as month(started, Europe/Berlin), also year, quarter, week, day, hour; numbers as ranges(duration, 60, 600)',
    },
    measures: {
      type: 'strings',
      about:
        'count (alone if left out), sum(duration), avg, min, max, distinct, median, percentile(duration, 0.95). A row calls it sum_duration, ' +
        'or total with total=sum(duration)',
    },
    include: { type: 'strings', about: 'As in search, of groups' },
    having: { type: 'string', about: 'Conditions on measures, for example: count >= 10' },
    sort: { type: 'string', about: 'For example: count desc' },
    limit: { type: 'integer', about: 'Groups of a page, up to 10000; 50 by default' },
    max_age: { type: 'integer', about: 'As in search' },
  },
  annotations: reads('Count and group records', false),
  scope: 'execute:read',
  example: { connector: 'gong', entity: 'calls', group_by: ['direction'], measures: ['count', 'sum(duration)'], sort: 'count desc' },
  run: (running) => readCopy(running, reading),
})

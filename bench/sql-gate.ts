/** The statement gate against a grammar-based parser, both on the same statements of about 1 kB. */
import { init, parse } from '@guanmingchiu/sqlparser-ts'
import { admit } from '../packages/ferrule/src/connectors/snowflake/statement/gate.ts'
import type { StatementKind } from '../packages/ferrule/src/connectors/snowflake/statement/reasons.ts'
import { type Result, time } from './result.ts'
import { alternate, type Effort, median } from './rounds.ts'

interface Sample {
  readonly kind: StatementKind
  readonly text: string
}

/** Characters of a statement, about. */
const size = 1_000

/** A statement that grows by one part until it has its size. */
function grown(kind: StatementKind, { start, part, end = '' }: { start: string; part: (index: number) => string; end?: string }): Sample {
  let text = start
  for (let index = 1; text.length + end.length < size; index += 1) text += part(index)
  return { kind, text: text + end }
}

/** Statements as agents write them: a report with comments, paths into documents, a common table expression, and the three writes. */
const samples: readonly Sample[] = [
  grown('SELECT', {
    start: '-- Revenue by customer\nSELECT c.id, c.name',
    part: (index) => `,\n  SUM(IFF(o.month = ${index}, o.total_price, 0)) AS revenue_${index} /* month ${index} */`,
    end: '\nFROM customers c JOIN orders o ON o.customer_id = c.id\nGROUP BY c.id, c.name ORDER BY c.name LIMIT 100',
  }),
  grown('SELECT', {
    start: 'SELECT id',
    part: (index) => `, v:lines[${index}].title::string AS title_${index}`,
    end: " FROM events WHERE v:kind::string = 'order'",
  }),
  grown('SELECT', {
    start:
      'WITH recent AS (SELECT * FROM orders WHERE created_at > DATEADD(day, -30, CURRENT_DATE())) SELECT * FROM recent WHERE status IN (',
    part: (index) => `'state ${index}', `,
    end: "'open')",
  }),
  grown('INSERT', {
    start: 'INSERT INTO "Orders" (id, title, total_price) VALUES (0, $$first$$, 1.5)',
    part: (index) => `, (${index}, 'It''s order ${index}; paid', ${index}.25)`,
  }),
  grown('UPDATE', {
    start: "UPDATE orders SET note = 'seen'",
    part: (index) => `, field_${index} = field_${index} + ${index}`,
    end: ' WHERE id = 42',
  }),
  grown('DELETE', { start: 'DELETE FROM orders WHERE id IN (0', part: (index) => `, ${index * 7919}`, end: ')' }),
]

/** Median of the microseconds that single statements take, each sample as often as the others. */
async function microseconds(read: (sample: Sample) => boolean, seconds: number): Promise<number> {
  const times: number[] = []
  const end = performance.now() + seconds * 1000
  while (performance.now() < end) {
    for (const sample of samples) {
      const begin = performance.now()
      const isRead = read(sample)
      times.push((performance.now() - begin) * 1000)
      if (!isRead) throw new Error(`a statement of the benchmark is not read: ${sample.text}`)
    }
  }
  return median(times)
}

/** Runs the benchmark. */
export async function sqlGate(effort: Effort): Promise<Result> {
  await init()
  const ours = ({ text, kind }: Sample): boolean => admit(text, kind).admitted
  const baseline = ({ text }: Sample): boolean => parse(text, 'snowflake').length === 1
  const figures = await alternate({ ours, baseline }, effort, (read) => microseconds(read, effort.seconds))
  const characters = samples.reduce((sum, { text }) => sum + text.length, 0) / samples.length
  return time({ name: 'sql-gate', unit: 'µs/statement', ours: median(figures.ours), baseline: median(figures.baseline), characters })
}

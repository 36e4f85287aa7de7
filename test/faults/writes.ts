/** What the clients of writes were told, held against the rows of the warehouse and what it ran. */
import type { Sandbox } from '../../packages/sandbox/src/index.ts'

/** What leaves open whether a write was made; every other problem says that it was not. */
const open: ReadonlySet<string> = new Set([
  'outcome_unknown',
  'still running',
  'the client left',
  'hung',
  'broken',
  'upstream_result_too_large',
])

/** Writes of a storm, by their numbers. */
export class Writes {
  readonly #told = new Map<number, string[]>()

  /** The number of a new write. */
  begin(): number {
    const number = this.#told.size + 1
    this.#told.set(number, [])
    return number
  }

  /** Records how a call of a write ended for its client. */
  end(number: number, outcome: string): void {
    this.#told.get(number)?.push(outcome)
  }

  /** Finds what is wrong, once everything has come to rest. */
  async violations({ snowflake }: Sandbox): Promise<readonly string[]> {
    const rows = await snowflake.query("SELECT N, COUNT(*) FROM SCRATCH.COUNTERS WHERE NOTE = 'storm' GROUP BY N")
    const found = new Map(rows.map(([number, count]) => [Number(number), Number(count)]))
    const made = [...this.#told].flatMap(([number, told]) => {
      const flaw = flawOf(told, found.get(number) ?? 0)
      return flaw === undefined ? [] : [`write ${number} (${told.join(', ')}): ${flaw}`]
    })
    return [...made, ...ranTwice(snowflake)]
  }
}

function flawOf(told: readonly string[], rows: number): string | undefined {
  if (rows > 1) return `its row is there ${rows} times`
  if (told.includes('written')) return rows === 1 ? undefined : 'its row is not there'
  return rows === 1 && told.every((outcome) => !open.has(outcome)) ? 'its row is there' : undefined
}

/** Request ids under which the warehouse carried out more than one write. */
function ranTwice({ executed }: Sandbox['snowflake']): string[] {
  const ran = new Map<string, number>()
  for (const { verb, outcome, requestId } of executed())
    if (verb === 'INSERT' && outcome === 'succeeded') ran.set(requestId, (ran.get(requestId) ?? 0) + 1)
  return [...ran].flatMap(([id, count]) => (count > 1 ? [`the warehouse carried out ${count} writes with the request id ${id}`] : []))
}

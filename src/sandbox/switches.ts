import { isObject } from './http.ts'

/** Reads and changes the switches of a stand-in. */
export interface SwitchControl<S> {
  current(): S
  /** @throws RangeError for an unknown switch or a value that it cannot have */
  set(changes: Partial<S>): void
  reset(): void
  /** What is wrong with a value that should change switches, for example the body of a control request; undefined when nothing is. */
  problem(value: unknown): string | undefined
  /** True for a value that changes switches. */
  accepts(value: unknown): value is Partial<S>
}

/** What the switches of a stand-in are. */
export interface SwitchRules<S> {
  /** Every switch with its default. */
  readonly factory: S
  /** What differs from the defaults at the start and after a reset. */
  readonly start?: Partial<S>
  /** What is wrong with a value of the right type; undefined when nothing is. */
  readonly check?: (name: string, value: unknown) => string | undefined
}

/**
 * The switches of one stand-in.
 *
 * @param rules - see SwitchRules
 */
export function createSwitchControl<S extends object>({ factory, start, check }: SwitchRules<S>): SwitchControl<S> {
  const defaults = new Map<string, unknown>(Object.entries(factory))
  const problemOf = (name: string, wanted: unknown): string | undefined => {
    if (!defaults.has(name)) return `${name} is not a switch; there are ${[...defaults.keys()].join(', ')}`
    const type = typeof defaults.get(name)
    return typeof wanted === type ? check?.(name, wanted) : `${name} must be a ${type}`
  }
  const problem = (value: unknown): string | undefined => {
    if (!isObject(value)) return 'Switches are a JSON object'
    for (const [name, wanted] of Object.entries(value)) {
      const wrong = problemOf(name, wanted)
      if (wrong) return wrong
    }
    return undefined
  }
  let now: S = { ...factory, ...start }
  return {
    current: () => now,
    set(changes) {
      const wrong = problem(changes)
      if (wrong) throw new RangeError(wrong)
      now = { ...now, ...changes }
    },
    reset() {
      now = { ...factory, ...start }
    },
    problem,
    accepts: (value): value is Partial<S> => problem(value) === undefined,
  }
}

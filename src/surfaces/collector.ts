/** V8's collector, which Node shows to programs that were started with `--expose-gc` only. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** What is collected, as V8's `gc` takes it: the young objects, or all, with the memory given back to the system. */
type Extent = { readonly type: 'minor' } | { readonly type: 'major'; readonly flavor: 'last-resort' }

type Collect = (extent: Extent) => void

function find(): Collect {
  setFlagsFromString('--expose-gc')
  const found: unknown = runInNewContext('typeof gc === "function" ? gc : undefined')
  setFlagsFromString('--no-expose-gc')
  return typeof found === 'function' ? (extent) => Reflect.apply(found, undefined, [extent]) : () => undefined
}

let found: Collect | undefined

/** Collects now. Where V8 offers no collector that can be called, it collects when it likes. */
export function collect(extent: Extent): void {
  found ??= find()
  found(extent)
}

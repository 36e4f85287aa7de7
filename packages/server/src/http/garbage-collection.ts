/** V8's collector, which Node shows to programs that were started with `--expose-gc` only. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Extent of a collection, as V8's `gc` takes it: young objects, or all objects with the memory returned to the system. */
type Extent = { readonly type: 'minor' } | { readonly type: 'major'; readonly flavor: 'last-resort' }

type Collect = (extent: Extent) => void

function find(): Collect {
  setFlagsFromString('--expose-gc')
  const found: unknown = runInNewContext('typeof gc === "function" ? gc : undefined')
  setFlagsFromString('--no-expose-gc')
  return typeof found === 'function' ? (extent) => Reflect.apply(found, undefined, [extent]) : () => undefined
}

let found: Collect | undefined

/** Collects garbage now. Does nothing where V8 exposes no collector. */
export function collect(extent: Extent): void {
  found ??= find()
  found(extent)
}

/** V8's collector of young objects, which Node shows to programs that were started with `--expose-gc` only. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Finds the collector; it does nothing where V8 exposes none. */
export function findCollector(): () => void {
  setFlagsFromString('--expose-gc')
  const found: unknown = runInNewContext('typeof gc === "function" ? gc : undefined')
  setFlagsFromString('--no-expose-gc')
  return typeof found === 'function' ? () => void Reflect.apply(found, undefined, [{ type: 'minor' }]) : () => undefined
}

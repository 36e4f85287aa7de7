// Lets the heap of test processes grow as V8 chooses. An embedded database limits its growth for the whole process, which saves a small
// service memory. A test process opens one after the other, and collects garbage for a fifth of its CPU time then.
import { syncBuiltinESMExports } from 'node:module'
import v8 from 'node:v8'

const { setFlagsFromString } = v8
v8.setFlagsFromString = (flag) => (flag.startsWith('--heap-growing-percent=') ? undefined : setFlagsFromString(flag))
syncBuiltinESMExports()

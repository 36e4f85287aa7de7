/** The warehouse's stand-in of the sandbox. A process of its own. */
import { startSandbox } from '../packages/sandbox/src/index.ts'
import { serve } from './child.ts'

const sandbox = await startSandbox({ limits: false })
await sandbox.snowflake.open()
serve({ port: Number(new URL(sandbox.origins.snowflake.api).port) })

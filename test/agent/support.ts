/** Connections of the tests of tools. */
import { connect } from '../../packages/ferrule/src/index.ts'
import { sandboxCredentials } from '../../packages/sandbox/src/index.ts'
import type { World } from '../http/support.ts'

/** Connects to the stand-in of Gong from this process. */
export const connectGong = (world: Pick<World, 'sandbox'>) =>
  connect('gong', {
    credentials: { access_key: sandboxCredentials.accessKey, access_key_secret: sandboxCredentials.accessKeySecret },
    origin: world.sandbox.origins.gong,
    limits: false,
  })

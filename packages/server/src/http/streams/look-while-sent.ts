/** Looks at what allowed an answer while the answer is sent: a stream of events, an export, a download. */
import type { FerruleError } from 'ferrule'
import { asFerruleError } from 'ferrule/internal'
import type { Principal } from '../../values/access.ts'
import type { Exchange, Services } from '../route.ts'

/** What is looked at. */
export interface Looked {
  readonly connectorId: string
  /** True: the end of the token or session counts too. */
  readonly countsToken: boolean
  /** Called once, with the error that a new request would get. */
  ended(why: FerruleError): void
}

/** Looks every 30 seconds until the answer was sent. A look that fails for another reason says nothing. */
export function lookWhileSent(
  exchange: Pick<Exchange<Principal>, 'who' | 'onEnd'>,
  { platform, streams }: Pick<Services, 'platform' | 'streams'>,
  { ended, ...looked }: Looked,
): void {
  let isLooking = false
  const stop = (): void => clearInterval(timer)
  const look = async (): Promise<void> => {
    if (isLooking) return
    isLooking = true
    try {
      await platform.liveness.check(exchange.who, looked)
    } catch (thrown) {
      const why = asFerruleError(thrown)
      if (why.fault !== 'caller') return
      stop()
      ended(why)
    } finally {
      isLooking = false
    }
  }
  const timer = setInterval(() => void look(), streams.lookMs).unref()
  exchange.onEnd(stop)
}

/** Breaks off a transfer when its application, organization or connector ends. A token may end before a large file does. */
export const lookWhileTransferred = (
  exchange: Pick<Exchange<Principal>, 'who' | 'onEnd' | 'disconnect'>,
  services: Pick<Services, 'platform' | 'streams'>,
  connectorId: string,
): void => lookWhileSent(exchange, services, { connectorId, countsToken: false, ended: () => exchange.disconnect() })

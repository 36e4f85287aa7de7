/** Options of the platform. */

import type { Kind } from 'ferrule/definition'
import type { Engine, OriginOverride } from 'ferrule/engine'
import type { ConnectorNotice } from 'ferrule/wire'
import type { VendorLimiter } from '../calls/budgets/vendor-limiter.ts'
import type { ContextStore } from '../copies/store/types.ts'
import type { Settings } from './settings/settings.ts'

/** Origins of the stand-ins by kind; undefined without a running sandbox. */
type SandboxOrigins = Readonly<Record<string, OriginOverride>> | undefined

/** What an engine is made with. */
export interface EngineParts {
  /** Clock of stored times. */
  readonly clock: () => number
  /** Budgets of vendors, which all nodes share. */
  readonly limiter: VendorLimiter
}

/** Options of `openPlatform`. Tests inject clock, randomness and waiting. */
export interface PlatformOptions {
  readonly settings: Settings
  readonly kinds: readonly Kind[]
  /** Makes the engine that the whole platform calls vendors with. The platform closes it. */
  readonly engine: (parts: EngineParts) => Engine
  /** Returns the origins of the sandbox by kind, at once or when it has started; undefined while it does not run. */
  readonly sandboxOrigins?: () => SandboxOrigins | Promise<SandboxOrigins>
  /**
   * `service` (default) locks the embedded data folder. `administration` opens it beside a running service, for commands such as a new
   * client secret.
   */
  readonly role?: 'service' | 'administration'
  /** Store of the copies. The status of syncs reads records and indexes from it, and never opens it. */
  readonly contextStore?: Pick<ContextStore, 'status' | 'indexes' | 'openDatabase' | 'ready'>
  /** Wall clock in milliseconds since 1970. Without `steady` its values are the stored times. */
  readonly clock?: () => number
  /** Steady clock in milliseconds. */
  readonly steady?: () => number
  readonly randomBytes?: (size: number) => Buffer
  readonly sleep?: (milliseconds: number) => Promise<void>
  /** Called with errors of background work. Never receives a secret. */
  readonly onBackgroundError?: (error: unknown) => void
  /** Called once for each notice of a vendor. */
  readonly onNotice?: (notice: { readonly connectorId: string } & ConnectorNotice) => void
}

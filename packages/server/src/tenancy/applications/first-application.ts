/** Type of the application that the first start makes. */
import type { Secret } from 'ferrule/engine'

/** The application that the first start prints. */
export interface FirstApplication {
  readonly organizationId: string
  readonly clientId: string
  /** Present only in the start that created it; stored as a hash, so it cannot be shown again. */
  readonly clientSecret?: Secret<string>
  /** Whether the settings have a pair for it: none, the one that it has, or another one, which the start ignored. */
  readonly settings: 'none' | 'same' | 'ignored'
}

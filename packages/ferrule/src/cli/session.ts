/** The way to the service, with the settings of the command. */
import type { ServiceOptions } from '../client/settings.ts'
import { readServiceSettings } from '../client/settings.ts'
import { type RequestOptions, Transport } from '../client/transport.ts'
import { FerruleError } from '../errors.ts'
import type { CommandContext } from './context.ts'
import { failSetting } from './failure.ts'
import { buildServiceOptions, readSettings } from './settings.ts'

/** Opens the way to a service that is known already. */
export const openTransport = (options: ServiceOptions): Transport => new Transport(readServiceSettings(options))

/**
 * Opens the way to the service of the settings.
 * @throws FerruleError when no service or no identity is set; `setting_invalid` when a variable or the profile has a wrong address
 */
export async function openSession({ flags, env }: CommandContext): Promise<Transport> {
  const settings = await readSettings(flags, env)
  const options = await buildServiceOptions(settings, env)
  try {
    return openTransport(options)
  } catch (thrown) {
    const source = settings.url?.source
    if (!(thrown instanceof FerruleError) || source === undefined || source === '--url') throw thrown
    throw failSetting(
      `The address of ${source} is wrong: ${thrown.message}`,
      'Correct it: ferrule config shows each setting with its source.',
    )
  }
}

/** Options of every request of a command. */
export const callOptions = ({ signal, deadlineMs }: CommandContext): RequestOptions => ({ signal, deadlineMs })

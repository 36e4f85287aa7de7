/** The way to the service, with the settings of the command. */
import type { ServiceOptions } from '../client/settings.ts'
import { readServiceSettings } from '../client/settings.ts'
import { type RequestOptions, Transport } from '../client/transport.ts'
import { FerruleError } from '../errors.ts'
import { readExactJson } from '../values/json/exact.ts'
import type { CommandContext } from './context.ts'
import { failSetting } from './failure.ts'
import { buildServiceOptions, readSettings } from './settings.ts'

/** Opens the way to a service that is known already. Numbers of its answers keep their digits, which `writeJson` writes. */
export const openTransport = (options: ServiceOptions, parse = readExactJson): Transport =>
  new Transport({ ...readServiceSettings(options), parse })

/**
 * Opens the way to the service of the settings.
 * @param parse parses its answers, instead of what keeps the digits of numbers
 * @throws FerruleError when no service or no identity is set; `setting_invalid` when a variable or the profile has a wrong address
 */
export async function openSession({ flags, env }: CommandContext, parse?: (text: string) => unknown): Promise<Transport> {
  const settings = await readSettings(flags, env)
  const options = await buildServiceOptions(settings, env)
  try {
    return openTransport(options, parse)
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

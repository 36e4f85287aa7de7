/** Addresses that a browser plays a download from: opaque, for minutes, and for those only who asked. */
import { randomBytes } from 'node:crypto'
import { type FileAnswer, findOperation } from 'ferrule/engine'
import { fail, isObject } from 'ferrule/internal'
import { type MediaAddress, mediaInput } from 'ferrule/wire'
import type { Platform } from '../main/platform-types.ts'
import type { Principal } from '../values/access.ts'
import { digestParts, hasSecretForm, iso, newSecret } from '../values/ids.ts'
import { readBody } from '../values/read.ts'
import type { CallBounds } from './admission.ts'
import type { Executed, ReplayedAnswer } from './executed.ts'
import { executeOperation, type OperationServices } from './operations.ts'

/** Life of an address, in milliseconds. */
const lifeMs = 5 * 60_000
/** The only ranges that vendors' hosts are asked for; another header counts as none, and the whole file is sent. */
const range = /^bytes=(\d{1,15}-\d{0,15}|-\d{1,15})$/

interface MediaCall {
  readonly connectorId: string
  readonly entity: string
  readonly params: Readonly<Record<string, unknown>>
  /** Digest of who may open it. */
  readonly holder: string
}

/** Services that media need. */
export interface MediaServices {
  readonly operations: OperationServices
  readonly platform: Pick<Platform, 'keptAnswers' | 'connectors'>
  readonly clock: () => number
}

const action = 'download'

/** Returns a digest of who asks: a session, or an application with what its token reaches. */
const digestHolder = ({ token, kind, applicationId, workspaceIds, connectorIds }: Principal): string =>
  digestParts(token.sessionDigest ?? null, kind, applicationId, workspaceIds, connectorIds)

/** The answers of agents are kept in the same table; their ids have another form. */
const toKey = (id: string): string => `media ${id}`

/** Media types by the ending of a name, for hosts that send bytes without a type. */
const byEnding: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  wav: 'audio/wav',
  mp4: 'video/mp4',
  webm: 'video/webm',
}
const untyped: ReadonlySet<string> = new Set(['application/octet-stream', 'binary/octet-stream'])

/** Returns the type that a browser plays a file as. @throws FerruleError `not_playable` for anything but audio and video */
function readPlayableType({ contentType, name }: Pick<FileAnswer, 'contentType' | 'name'>): string {
  const [given = ''] = contentType.toLowerCase().split(';', 1)
  const type = untyped.has(given.trim()) ? (byEnding[name.split('.').at(-1) ?? ''] ?? given) : given.trim()
  if (/^(audio|video)\/[\w.+-]{1,60}$/.test(type)) return type
  throw fail('not_playable', { type: type.slice(0, 100) || 'of no type' })
}

async function open({ operations }: MediaServices, principal: Principal, { call, ...options }: { readonly call: MediaCall } & CallBounds) {
  const { connectorId, entity, params } = call
  const outcome = await executeOperation(operations, principal, { connectorId, request: { entity, action, params }, ...options })
  const file = readFile(outcome)
  try {
    return { ...file, contentType: readPlayableType(file) }
  } catch (thrown) {
    file.body.destroy()
    throw thrown
  }
}

function readFile(outcome: Executed | ReplayedAnswer): FileAnswer {
  if (outcome.type === 'file') return outcome.file
  throw fail('definition_invalid', { reason: 'a download answers no file' })
}

/** Adds the range of a request to the parameters of its download. */
async function withRange(
  { platform }: MediaServices,
  principal: Principal,
  { call, header }: { call: MediaCall; header: string | undefined },
) {
  const { connection } = await platform.connectors.readAccess(principal, call.connectorId)
  const name = findOperation(connection.kind, call.entity, action).operation.file?.range
  if (name === undefined) return call
  const { [name]: _given, ...params } = call.params
  return { ...call, params: header !== undefined && range.test(header) ? { ...params, [name]: header } : params }
}

/**
 * Makes an address for a download, after it has opened the file once: so that a file that is missing, hidden or not playable is refused here.
 * @param body `{ entity, params? }`
 * @throws FerruleError `validation_failed`, `not_playable`, `unavailable`, and those of the download
 */
export async function createMediaAddress(
  services: MediaServices,
  principal: Principal,
  { connectorId, body, ...options }: { readonly connectorId: string; readonly body: unknown } & CallBounds,
): Promise<MediaAddress> {
  const { entity, params } = readBody(mediaInput, body)
  const call = { connectorId, entity, params: params ?? {}, holder: digestHolder(principal) }
  const first = await open(services, principal, { call: await withRange(services, principal, { call, header: 'bytes=0-0' }), ...options })
  first.body.destroy()
  const [id, ends] = [newSecret(randomBytes), services.clock() + lifeMs]
  if (!(await services.platform.keptAnswers.of(principal).put(toKey(id), JSON.stringify(call), ends)))
    throw fail('unavailable', { reason: 'the address could not be stored' })
  const url = `/api/v1/media/${id}?organization_id=${principal.organizationId}`
  return { url, content_type: first.contentType, expires_at: iso(ends) }
}

/**
 * Opens the file behind an address.
 * @param options `header`: the request's Range
 * @throws FerruleError `record_not_found` for an address that has ended or is of somebody else, `not_playable`, and those of the download
 */
export async function openMedia(
  services: MediaServices,
  principal: Principal,
  { id, header, ...options }: { readonly id: string; readonly header: string | undefined } & CallBounds,
): Promise<{ readonly file: FileAnswer; readonly connectorId: string }> {
  const text = hasSecretForm(id) ? await services.platform.keptAnswers.of(principal).get(toKey(id)) : undefined
  const call = text === undefined ? undefined : readCall(text)
  if (call === undefined || call.holder !== digestHolder(principal))
    throw fail(
      'record_not_found',
      { reason: 'the address of this file has ended, or belongs to another session' },
      { hint: 'Ask for a new address.' },
    )
  const file = await open(services, principal, { call: await withRange(services, principal, { call, header }), ...options })
  return { file, connectorId: call.connectorId }
}

function readCall(text: string): MediaCall | undefined {
  const call: unknown = JSON.parse(text)
  return isObject(call) ? (call as unknown as MediaCall) : undefined
}

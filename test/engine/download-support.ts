/** What the tests of downloads share: a vendor whose API answers with a link, and the host of the file behind it. */
import { callOf, gongAt, pageOf, type Reply, type Seen, type TestServer } from './support.ts'

export const link = 'https://honeyfy.example/media-data/11/7/7.playback.mp3?X-Amz-Expires=28800&X-Amz-Signature=abc'
export const params = { filter: { callIds: ['7'] }, contentSelector: { exposedFields: { media: true as const } } }

/** The API's answer with these media links. */
export const answerWith = (media: Readonly<Record<string, unknown>> | undefined): Reply => ({
  body: pageOf({ calls: [{ metaData: callOf('7'), ...(media === undefined ? {} : { media }) }] }),
})

/** A vendor that answers the API with a link, and the host of the files with what a test says. */
export function vendor(host: (seen: Seen, count: number) => Reply, url: unknown = link): (seen: Seen) => Reply {
  let count = 0
  return (seen) => (seen.url === '/v2/calls/extensive' ? answerWith({ audioUrl: url, videoUrl: url }) : host(seen, ++count))
}

/** A connector whose API and files are both this server. */
export const at = ({ origin }: TestServer) => gongAt({ api: origin, media: origin })

/** A download, with further parameters. */
export const download = (more: Readonly<Record<string, unknown>> = {}, entity = 'call_audio') => ({
  entity,
  action: 'download',
  params: { ...params, ...more },
})

/** All bytes of a stream. */
export const bytesOf = async (body: AsyncIterable<Uint8Array>): Promise<Buffer> => Buffer.concat(await Array.fromAsync(body))

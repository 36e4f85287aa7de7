/** A program with the library, for tests that set its environment. Prints what it got as JSON, a line for each call. */
import { connect, FerruleError } from 'ferrule'

const origin = process.env['ORIGIN']
const gong = connect('gong', {
  credentials: { access_key: 'key-of-the-vendor', access_key_secret: 'secret-of-the-vendor' },
  limits: false,
  ...(origin === undefined ? {} : { origin }),
})
const calls: Readonly<Record<string, () => Promise<unknown>>> = {
  users: async () => (await gong.users.list()).data.length,
  audio: async () => {
    const file = await gong.call_audio.download({ filter: { callIds: ['7'] }, contentSelector: { exposedFields: { media: true } } })
    return (await new Response(file.stream).text()).length
  },
}

for (const name of process.argv.slice(2)) {
  const answer = await calls[name]?.().catch((thrown: unknown) => {
    if (!(thrown instanceof FerruleError)) throw thrown
    const { code, message, hint } = thrown
    return { code, message, hint }
  })
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}
await gong.close()

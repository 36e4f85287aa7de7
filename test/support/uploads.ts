/** Reads uploaded kinds as the service does, on the loop of the test. */
import { readKind } from '../../packages/ferrule/src/kind-file/index.ts'
import type { ReadUploadedKind } from '../../packages/server/src/connectors/own-kinds.ts'

export const readUpload: ReadUploadedKind = async ({ slug, file }) => {
  const { definition, mistakes, doubts } = await readKind(file, { name: `${slug}.kind.yaml` })
  const show = (found: typeof mistakes) =>
    found.map(({ file: _file, near = null, example = null, ...rest }) => ({ file: 'kind' as const, near, example, ...rest }))
  const api = definition?.origins.api
  return { definition, mistakes: show(mistakes), doubts: show(doubts), hosts: typeof api === 'string' ? [new URL(api).hostname] : [] }
}

/** Reads uploaded kinds as the service does, on the loop of the test. */
import { checkUploadedKind, listHosts } from '../../packages/ferrule/src/kind-file/index.ts'
import type { ReadUploadedKind } from '../../packages/server/src/connectors/own-kinds.ts'

export const readUpload: ReadUploadedKind = async ({ slug, file, taken }) => {
  const { definition, mistakes, doubts } = await checkUploadedKind(file, { name: `${slug}.kind.yaml`, taken })
  const show = (found: typeof mistakes) =>
    found.map(({ file: _file, near = null, example = null, ...rest }) => ({ file: 'kind' as const, near, example, ...rest }))
  const hosts =
    definition === undefined ? [] : [...new Set(listHosts(definition).flatMap(({ use, host }) => (use === 'files' ? [] : [host])))]
  return { definition, mistakes: show(mistakes), doubts: show(doubts), hosts }
}

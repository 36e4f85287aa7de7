import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'

/** A part of the rows of a result. */
export interface Partition {
  readonly rows: number
  /** Bytes of its JSON. */
  readonly uncompressedSize: number
  /** Partition 0: the JSON text of its rows. The others: the compressed body of the answer. */
  readonly content: string | Uint8Array
}

/** The rows of a result, cut into partitions. */
export interface PartitionedRows {
  readonly rows: number
  readonly partitions: readonly Partition[]
  /** True when rows were left out because there were too many. */
  readonly cut: boolean
  /** Bytes that are kept. */
  readonly size: number
}

/** How rows are cut. */
export interface PartitionSizes {
  /** Bytes of partition 0, of the others, of all together. */
  readonly first: number
  readonly other: number
  readonly all: number
  /** Rows of one at most; 0 for no bound. */
  readonly rows: number
}

const pack = promisify(gzip)

async function closed(texts: readonly string[], first: boolean): Promise<Partition> {
  const data = `[${texts.join(',')}]`
  const uncompressedSize = Buffer.byteLength(data)
  const content = first ? data : await pack(`{"data":${data}}`, { level: constants.Z_BEST_SPEED })
  return { rows: texts.length, uncompressedSize, content }
}

/**
 * Cuts rows into partitions while they come.
 *
 * @param source - JSON texts of rows
 * @param sizes - how they are cut
 */
export async function partitioned(
  source: AsyncIterable<readonly string[]> | Iterable<readonly string[]>,
  sizes: PartitionSizes,
): Promise<PartitionedRows> {
  const partitions: Partition[] = []
  let texts: string[] = []
  let bytes = 0
  let total = 0
  const close = async () => {
    partitions.push(await closed(texts, partitions.length === 0))
    texts = []
    bytes = 0
  }
  const isFull = (next: number) => {
    const room = partitions.length === 0 ? sizes.first : sizes.other
    return texts.length > 0 && (bytes + next > room || texts.length === sizes.rows)
  }
  const result = (cut: boolean): PartitionedRows => ({
    rows: partitions.reduce((sum, partition) => sum + partition.rows, 0),
    partitions,
    cut,
    size: partitions.reduce((sum, { content }) => sum + content.length, 0),
  })
  for await (const batch of source) {
    for (const text of batch) {
      if (isFull(text.length)) await close()
      if (total + text.length > sizes.all) {
        await close()
        return result(true)
      }
      texts.push(text)
      bytes += text.length + 1
      total += text.length + 1
    }
  }
  if (texts.length > 0 || partitions.length === 0) await close()
  return result(false)
}

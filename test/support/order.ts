/** The order of the test files: what takes long begins early, so that no core is idle at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Small files that take long. Without results of an earlier run, as in a fresh clone, Vitest begins with the largest files. */
const longThoughSmall: ReadonlySet<string> = new Set([
  'test/context/exactness.test.ts',
  'test/context/memory.test.ts',
  'test/context/sync-fresh.test.ts',
  'test/context/sync-truth.test.ts',
  'test/faults/storm.test.ts',
  'test/http/openapi-lint.test.ts',
  'test/kinds/changed-file.test.ts',
  'test/kinds/mistakes.test.ts',
  'test/pack/packages.test.ts',
  'test/platform/kills.test.ts',
  'test/platform/syncs-kills.test.ts',
  'test/platform/syncs-thousands.test.ts',
  'test/regressions/issue-22-failing-entity.test.ts',
  'test/regressions/issue-22-failover.test.ts',
])

const isLong = ({ project, moduleId }: TestSpecification): boolean =>
  longThoughSmall.has(moduleId.slice(project.config.root.length + 1).replaceAll('\\', '/'))

/** Puts small files that take long before the others of their project. */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // A process belongs to one project, so the files of a project stay together.
    const projects = Map.groupBy(await super.sort(files), ({ project }) => project)
    return [...projects.values()].flatMap((own) => [...own.filter(isLong), ...own.filter((file) => !isLong(file))])
  }
}

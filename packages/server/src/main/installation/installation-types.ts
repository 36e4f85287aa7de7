/** Interface of what concerns the whole installation. */
import type { NodeRecord, ServiceRecord } from 'ferrule/wire'
import type { Caller } from '../../values/access.ts'

/** The installation as its operator sees it. The operator is the application of the first start. */
export interface Installation {
  /** Describes the service to any client. */
  describe(caller: Caller): Promise<ServiceRecord>
  /** Describes the node that answers. @throws FerruleError `operator_required` */
  readNode(caller: Caller): Promise<NodeRecord>
}

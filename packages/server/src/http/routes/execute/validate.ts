import { endpoints, validation, validationInput } from 'ferrule/wire'
import { validateCall } from '../../../calls/validation.ts'
import { principalRoute, slot } from '../../route.ts'

/** Checks a call without sending it. */
export const validate = principalRoute({
  ...endpoints.validateCall,
  auth: 'principal',
  provesOrganization: true,
  document: {
    id: 'validateCall',
    tag: 'execute',
    summary: 'Check a call without sending it',
    about:
      'Entity, action, parameters, the statement of a warehouse with line and column, the filter of a search: everything that execute refuses before it asks the vendor or the copy. The refusal is a result. The scope is that of the action.',
    body: validationInput,
    answer: { about: 'The refusal, or null', schema: validation },
    problems: ['connector_not_found', 'workspace_inactive', 'validation_failed', 'insufficient_scope'],
  },
  answer: async (exchange, { platform }) => ({
    json: await validateCall(platform, exchange.who, { connectorId: slot(exchange, 'connector_id'), body: exchange.body }),
  }),
})

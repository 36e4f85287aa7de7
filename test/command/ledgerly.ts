/** A vendor that nobody here knows: its OpenAPI document, and an answer of it. */

const customer = {
  type: 'object',
  required: ['id', 'name'],
  properties: {
    id: { type: 'string', description: 'Id' },
    name: { type: 'string', description: 'Name' },
    updated_at: { type: 'string', format: 'date-time', description: 'Last change' },
  },
}
const answer = (schema: object) => ({ 200: { description: 'Customers', content: { 'application/json': { schema } } } })
const list = { type: 'object', properties: { data: { type: 'array', items: customer }, next_cursor: { type: 'string', nullable: true } } }
const query = (name: string, type: string) => ({ name, in: 'query', description: name, schema: { type } })

/** The document of a vendor that nobody here knows. */
export const document = {
  openapi: '3.0.3',
  info: { title: 'Ledgerly', version: '1', description: 'Customers and their invoices' },
  servers: [{ url: 'https://api.ledgerly.example.com' }],
  components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  security: [{ token: [] }],
  paths: {
    '/v1/customers': {
      get: {
        operationId: 'listCustomers',
        summary: 'List customers',
        parameters: [query('cursor', 'string'), query('limit', 'integer'), query('updated_since', 'string')],
        responses: answer(list),
      },
    },
    '/v1/customers/{id}': {
      get: {
        operationId: 'getCustomer',
        summary: 'Read a customer',
        parameters: [{ name: 'id', in: 'path', required: true, description: 'Id', schema: { type: 'string' } }],
        responses: answer(customer),
      },
    },
  },
}

/** A page of its customers, as its documents show one. */
export const customers = {
  data: [
    { id: 'c1', name: 'Blue Bakery', updated_at: '2026-02-01T09:00:00Z' },
    { id: 'c2', name: 'Green Grocer', updated_at: '2026-02-02T09:00:00Z' },
  ],
  next_cursor: null,
}

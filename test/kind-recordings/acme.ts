/** A kind and its recordings, which tests make wrong. */
import { kindTop } from '../support/kind-head.ts'

/** The kind. */
export const acmeKind = `${kindTop('acme')}api: 'https://{site}.acme.example'
path: /v1
configuration: { site: label Name of the site }
auth:
  key:
    title: API key
    fields: { api_key: secret Key, email: string Address for mail }
    find: Settings
    send: { authorization: 'Basic {email}:{api_key}' }
limits: { per: api_key, rates: [100/m] }
errors: { message: error.message, code: error.code, rows: [{ code busy: conflict }] }
check: me.get
pages:
  cursor: { next: next_cursor, send: cursor, size: limit=2 }
lists: { at: data, pages: cursor }
entities:
  me:
    about: The account
    fields: { id: string Id }
    get: GET /me
  things:
    about: Things
    fields:
      id: integer Id
      name: string Name
      note: string? Note
      changed_at: date-time When it changed
    list: { call: GET /things, params: { changed_since: date-time Changed since, tag: string Tag } }
    get: GET /things/{id}
    create: { call: POST /things, body: { name: string! Name } }
    delete: DELETE /things/{id}
    sync: { since: { changed_at: changed_since } }
  labels:
    about: Labels
    fields: { name: string Name }
    key: name
    list: { call: GET /labels, at: labels, pages: none, because: The vendor returns all labels at once. }
    sync: full
`

/** Its recordings. */
export const acmeRecordings = `{
 "kind": "acme",
 "config": {"site": "north"},
 "samples": {
  "lamp": {"id": 9007199254740993, "name": "Lamp", "note": null, "changed_at": "2026-01-01T00:00:00Z"},
  "table": {"$use": "lamp", "id": 2, "name": "Table", "changed_at": "2026-01-02T00:00:00Z"}
 },
 "recordings": [
  {
   "call": "me.get", "source": "document", "from": "https://acme.example/docs/me",
   "exchanges": [{"request": "GET /v1/me", "answer": {"body": {"id": "u1"}}}],
   "data": {"id": "u1"}
  },
  {
   "call": "things.list", "source": "document", "from": "https://acme.example/docs/things",
   "params": {"tag": "a b"},
   "exchanges": [
    {
     "request": {"call": "GET /v1/things?limit=2", "query": {"tag": "a b"}},
     "answer": {"headers": {"X-Request-Id": "r1"}, "body": {"data": [{"$use": "lamp"}, {"$use": "table"}], "next_cursor": "c2"}}
    },
    {
     "request": {"call": "GET /v1/things?limit=2&cursor=c2", "query": {"tag": "a b"}},
     "answer": {"body": {"data": [{"$use": "table", "id": 3}], "next_cursor": ""}}
    }
   ],
   "data": [{"$use": "lamp"}, {"id": 2, "name": "Table"}, {"id": 3}]
  },
  {
   "call": "things.get", "source": "document", "from": "https://acme.example/docs/things",
   "params": {"id": 9007199254740993},
   "exchanges": [{"request": "GET /v1/things/9007199254740993", "answer": {"body": {"$use": "lamp"}}}],
   "data": {"$use": "lamp"}
  },
  {
   "call": "things.get", "name": "one that does not exist", "source": "document", "from": "https://acme.example/docs/errors",
   "params": {"id": 4},
   "exchanges": [{"request": "GET /v1/things/4", "answer": {"status": 404, "body": {"error": {"message": "No such thing", "code": "missing"}}}}],
   "error": "record_not_found"
  },
  {
   "call": "things.create", "source": "document", "from": "https://acme.example/docs/things",
   "params": {"name": "Chair"},
   "exchanges": [
    {
     "request": {"call": "POST /v1/things", "body": {"name": "Chair"}},
     "answer": {"status": 201, "body": {"$use": "lamp", "id": 5, "name": "Chair", "note": "Blue"}}
    }
   ],
   "data": {"id": 5, "name": "Chair", "note": "Blue"}
  },
  {
   "call": "things.delete", "source": "document", "from": "https://acme.example/docs/things",
   "params": {"id": 5},
   "exchanges": [{"request": "DELETE /v1/things/5", "answer": {"status": 204}}]
  },
  {
   "call": "labels.list", "source": "document", "from": "https://acme.example/docs/labels",
   "exchanges": [{"request": "GET /v1/labels", "answer": {"body": {"labels": [{"name": "red"}, {"name": "blue"}]}}}],
   "data": [{"name": "red"}, {"name": "blue"}],
   "one_page": "The vendor returns all labels at once."
  }
 ]
}
`

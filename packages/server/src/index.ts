/** Entry `@ferrule/server`: the service inside another program. */
export { type Service, startService } from './main/service.ts'

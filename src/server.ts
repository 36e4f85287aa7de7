/** Entry `ferrule/server`: the hosted service within a program of yours. */
export { type Service, startService } from './surfaces/service.ts'

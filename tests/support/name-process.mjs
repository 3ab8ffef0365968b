// Loaded into gateways of a proof: every request that they make says which process it comes from.
import http from 'node:http'
import { syncBuiltinESMExports } from 'node:module'

const { request } = http
http.request = (options, ...others) => {
  // The gateway's own client gives its headers as a list.
  if (Array.isArray(options.headers)) options.headers.push('x-process', String(process.pid))
  return request(options, ...others)
}
syncBuiltinESMExports()

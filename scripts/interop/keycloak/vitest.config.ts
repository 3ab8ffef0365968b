import { fileURLToPath } from 'node:url'
import base from '../../../vitest.config.ts'

/** The tests that `npm run interop -- keycloak` runs. The last one needs a realm, so that it is none of `npm test`. */
export default {
  ...base,
  root: fileURLToPath(new URL('../../..', import.meta.url)),
  test: {
    ...base.test,
    include: [
      'tests/gateway/sign-in-official.test.ts',
      'tests/gateway/sign-in-programs.test.ts',
      'scripts/interop/keycloak/realm.test.ts',
    ],
  },
}

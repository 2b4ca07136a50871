import type { Route } from '../../define-route.ts'
import { questionRoutes } from '../../routes/questions/index.ts'
import type { OpenRoute, SessionRoute } from '../define-session-route.ts'
import agents from './agents.ts'
import downloads from './downloads.ts'
import panels from './panels.ts'
import password from './password.ts'
import session from './session.ts'
import sessionToken from './session-token.ts'
import signIn from './sign-in.ts'
import signOut from './sign-out.ts'
import tokenCreate from './token-create.ts'
import tokenRevoke from './token-revoke.ts'
import tokens from './tokens.ts'
import ways from './ways.ts'

/** Routes that require the session cookie, and the open routes for signing in. */
export const sessionRoutes: readonly (SessionRoute | OpenRoute)[] = [
  password,
  session,
  sessionToken,
  signIn,
  signOut,
  tokenCreate,
  tokenRevoke,
  tokens,
  ways,
]

/** Routes that require an API token, as on the other interfaces. */
export const consoleRoutes: readonly Route[] = [agents, downloads, panels, ...questionRoutes('console')]

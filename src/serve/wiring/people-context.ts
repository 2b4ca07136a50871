import { openIdProvider } from '../../engine/identity/open-id-provider.ts'
import { passwordProvider } from '../../engine/identity/password-provider.ts'
import type { SessionContext } from '../../http/console-api/define-session-route.ts'
import type { RouteContext } from '../../http/define-route.ts'
import type { Settings } from '../config-schema.ts'
import { readSignInFile } from './sign-in-file.ts'

/** How people sign in, and for how long. */
export const peopleContext = (
  settings: Settings,
  { stores: { postgres }, now }: Pick<RouteContext, 'stores' | 'now'>,
): SessionContext => ({
  postgres,
  now,
  sessionLimits: {
    hours: settings.BROADGAUGE_SESSION_HOURS,
    idleMinutes: settings.BROADGAUGE_SESSION_IDLE_MINUTES,
  },
  providers: {
    password: passwordProvider(postgres),
    redirects: readSignInFile(settings.BROADGAUGE_SIGN_IN_FILE).map((options) => openIdProvider(postgres, options)),
  },
})

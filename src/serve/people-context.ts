import { passwordProvider } from '../engine/identity/password-provider.ts'
import type { SessionContext } from '../http/console-api/define-session-route.ts'
import type { RouteContext } from '../http/define-route.ts'
import type { Settings } from './config-schema.ts'

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
  provePassword: passwordProvider(postgres),
})

import { peopleLimits } from '../../base/limits.ts'
import { bodyFaults, type Operations } from '../openapi/operation.ts'
import { listOf, record, reference, text, type Schema } from '../openapi/schema.ts'
import { checked, ownPage } from './own-page.ts'

const credential = (description: string): Schema =>
  text(description, { maxLength: peopleLimits.credentialCharactersMax })

const provider: Schema = {
  name: 'provider',
  in: 'path',
  required: true,
  description: 'Key of a provider from `GET /sign-in`.',
  schema: { type: 'string' },
}

export const sessionOperations: Operations = {
  'POST /session': {
    id: 'signIn',
    summary: 'Sign in by name and password',
    description:
      'Sets a session cookie and a device cookie, and ends the session that the browser had before. A wrong name and a wrong password get the same response. Failed attempts are limited by network, by name and network, and by name; attempts of a browser with the user’s device cookie are limited by that cookie only. Successful sign-ins are limited too.',
    parameters: [ownPage],
    body: {
      schema: record({
        name: text('Name of the user. Case is ignored.', { pattern: '^[!-~]{1,254}$' }),
        password: credential('Password of the user.'),
      }),
      examples: { person: { name: 'ada@regulator.example', password: 'correct horse battery staple' } },
    },
    data: reference('Person'),
    faults: [...bodyFaults, 'ACCESS_DENIED', 'TOO_MANY_REQUESTS', 'SERVICE_UNAVAILABLE'],
  },
  'GET /sign-in': {
    id: 'listSignIns',
    summary: 'List the OpenID Connect providers',
    description:
      'Lists the OpenID Connect providers that the operator has configured. They are the alternatives to a sign-in by name and password.',
    data: listOf(record({ key: text('Key of the provider in URLs.'), title: text('Display name of the provider.') })),
    faults: ['VALIDATION_FAIL', 'ACCESS_DENIED', 'SERVICE_UNAVAILABLE'],
  },
  'GET /sign-in/:provider': {
    id: 'leaveForSignIn',
    summary: 'Start a sign-in with OpenID Connect',
    description:
      'This endpoint is for browsers. It sets a state cookie and redirects to the provider. If the provider is unavailable, it redirects to the console, which shows the error.',
    parameters: [provider],
    data: null,
    faults: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
    redirects: true,
  },
  'GET /sign-in/:provider/callback': {
    id: 'returnFromSignIn',
    summary: 'Finish a sign-in with OpenID Connect',
    description:
      'Sets a session cookie, ends the session that the browser had before, and redirects to the console. If the provider refuses the user or is unavailable, this endpoint redirects without a session.',
    parameters: [provider],
    data: null,
    faults: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
    redirects: true,
  },
  'GET /session': {
    id: 'readSession',
    summary: 'Read the signed-in user',
    description: 'Returns the user, the role and the sign-in method, and renews the session.',
    data: reference('Person'),
    faults: checked,
  },
  'DELETE /session': {
    id: 'signOut',
    summary: 'Sign out',
    description: 'Ends the session and its token at once.',
    parameters: [ownPage],
    data: null,
    faults: bodyFaults,
  },
  'POST /session/token': {
    id: 'renewToken',
    summary: 'Get the token of the session',
    description:
      'Returns a token for the data and metadata interfaces, with the scopes of the user’s role. The token stays the same during a session and expires 15 minutes after the last request to this endpoint.',
    parameters: [ownPage],
    data: reference('SessionToken'),
    faults: bodyFaults,
  },
  'PUT /password': {
    id: 'changePassword',
    summary: 'Change the password',
    description:
      'Ends every other session of the user and revokes the device cookies of other browsers. A wrong current password counts as a failed sign-in. A user without a password in this service (see `has_password` of `GET /session`) changes the password at the OpenID Connect provider.',
    parameters: [ownPage],
    body: {
      schema: record({
        current: credential('Current password.'),
        new: text('New password.', {
          minLength: peopleLimits.passwordCharactersMin,
          maxLength: peopleLimits.credentialCharactersMax,
        }),
      }),
      examples: { change: { current: 'correct horse battery staple', new: 'four other words altogether' } },
    },
    data: null,
    faults: bodyFaults,
  },
}

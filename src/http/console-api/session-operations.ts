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
  description: 'From `GET /sign-in`.',
  schema: { type: 'string' },
}

export const sessionOperations: Operations = {
  'POST /session': {
    id: 'signIn',
    summary: 'Sign in by name and password',
    description:
      'Sets the cookie of a session, and ends the one the browser had; also sets a device cookie. A wrong name and a wrong password are answered alike. Failed attempts are counted by network, by name and network, and by name; those of a browser with the device cookie of the person by that cookie alone. Successful ones are limited too.',
    parameters: [ownPage],
    body: {
      schema: record({
        name: text('Whatever its case.', { pattern: '^[!-~]{1,254}$' }),
        password: credential('As it was issued, or chosen.'),
      }),
      examples: { person: { name: 'ada@regulator.example', password: 'correct horse battery staple' } },
    },
    data: reference('Person'),
    faults: [...bodyFaults, 'ACCESS_DENIED', 'TOO_MANY_REQUESTS', 'SERVICE_UNAVAILABLE'],
  },
  'GET /sign-in': {
    id: 'listSignIns',
    summary: 'Sign-ins of organisations',
    description: 'Beside name and password: those by OpenID Connect the operator has attached.',
    data: listOf(record({ key: text('In addresses.'), title: text('For people.') })),
    faults: ['VALIDATION_FAIL', 'ACCESS_DENIED', 'SERVICE_UNAVAILABLE'],
  },
  'GET /sign-in/:provider': {
    id: 'leaveForSignIn',
    summary: 'Go to the sign-in of an organisation',
    description:
      'For a browser, which is sent there with a cookie to come back with; or, when it is away, back to the console, which says so.',
    parameters: [provider],
    data: null,
    faults: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
    redirects: true,
  },
  'GET /sign-in/:provider/callback': {
    id: 'returnFromSignIn',
    summary: 'Come back from there',
    description:
      'Sets the cookie of a session, ends the one the browser had when it left, and sends it to the console; or, of whom it does not let in, and when it is away, sends it there without.',
    parameters: [provider],
    data: null,
    faults: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
    redirects: true,
  },
  'GET /session': {
    id: 'readSession',
    summary: 'Who is signed in',
    description: 'And by what they sign in. Also keeps the session from ending for want of use.',
    data: reference('Person'),
    faults: checked,
  },
  'DELETE /session': {
    id: 'signOut',
    summary: 'Sign out',
    description: 'The session and its token end at once.',
    parameters: [ownPage],
    data: null,
    faults: bodyFaults,
  },
  'POST /session/token': {
    id: 'renewToken',
    summary: 'The token of the session',
    description:
      'For the data and metadata interfaces, with the scopes of the person’s role. It is the same during a session and lasts a quarter of an hour from the last time it was asked for.',
    parameters: [ownPage],
    data: reference('SessionToken'),
    faults: bodyFaults,
  },
  'PUT /password': {
    id: 'changePassword',
    summary: 'Choose another password',
    description:
      'Every other session of the person ends, and other browsers are no longer known devices. Wrong current passwords count as attempts to sign in. Who has no password here (`has_password` of `GET /session`) changes it where they sign in.',
    parameters: [ownPage],
    body: {
      schema: record({
        current: credential('The present one.'),
        new: text('The next one.', {
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

import { defineRoute, type InterfaceName, type Route } from '../../define-route.ts'
import { deleteLink, listLinks, postLink } from './links.ts'
import { listQuestions } from './list.ts'
import { readQuestionVersion } from './read.ts'
import { deleteQuestion } from './remove.ts'
import { runQuestion } from './run.ts'
import { putQuestion } from './save.ts'
import { listVersions } from './versions.ts'

/** The routes of saved questions. Two interfaces have them: the data interface, and the console API for tokens of sessions. */
export const questionRoutes = (interfaceName: InterfaceName): readonly Route[] => [
  defineRoute(interfaceName, 'GET', '/questions', 'data:read', listQuestions),
  defineRoute(interfaceName, 'GET', '/questions/:key', 'data:read', readQuestionVersion),
  defineRoute(interfaceName, 'PUT', '/questions/:key', 'questions:write', putQuestion),
  defineRoute(interfaceName, 'DELETE', '/questions/:key', 'questions:write', deleteQuestion),
  defineRoute(interfaceName, 'GET', '/questions/:key/versions', 'data:read', listVersions),
  defineRoute(interfaceName, 'GET', '/questions/:key/data', 'data:read', runQuestion),
  defineRoute(interfaceName, 'GET', '/questions/:key/links', 'data:read', listLinks),
  defineRoute(interfaceName, 'POST', '/questions/:key/links', 'questions:write', postLink),
  defineRoute(interfaceName, 'DELETE', '/questions/:key/links/:id', 'questions:write', deleteLink),
]

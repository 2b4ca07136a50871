/** Starts one component of a development stack on the host that runs this program: node start-store.ts STACK COMPONENT. */
import { startComponent, type StackComponent } from '../../../../devstack/index.ts'

const [name = '', component = ''] = process.argv.slice(2)
await startComponent({ name }, component as StackComponent)

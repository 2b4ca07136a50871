import { operate, OperatorError, type Operator } from './operator.ts'
import { readOrganisation } from './organisations.ts'
import { withdrawing } from './withdrawing.ts'

export type PanelRecord = {
  id: number
  key: string
  name: string
  owner: string
  subscribers: string[]
  kinds: string[]
}

export async function createPanel(
  operator: Operator,
  { key, name, owner }: { key: string; name: string; owner: string },
): Promise<PanelRecord> {
  const { id } = await readOrganisation(operator, owner)
  await operate(operator, 'INSERT INTO panels (key, name, owner_id) VALUES ($1, $2, $3)', [key, name, id])
  return readPanel(operator, key)
}

export const findPanels = (operator: Operator): Promise<PanelRecord[]> =>
  operate<PanelRecord>(operator, `${selection} ORDER BY p.key`)

export async function readPanel(operator: Operator, key: string): Promise<PanelRecord> {
  const [panel] = await operate<PanelRecord>(operator, `${selection} WHERE p.key = $1`, [key])
  if (panel === undefined) throw new OperatorError(`There is no panel "${key}"; see: broadgauge panel list`)
  return panel
}

/** Gives an organisation the right to read the panel, or removes it. Idempotent. */
export async function changeSubscription(
  operator: Operator,
  { panel, organisation, subscribed }: { panel: string; organisation: string; subscribed: boolean },
): Promise<PanelRecord> {
  const { id: panelId, owner } = await readPanel(operator, panel)
  const { id: organisationId } = await readOrganisation(operator, organisation)
  if (owner === organisation)
    throw new OperatorError(`${organisation} owns the panel ${panel} and can read it without a subscription.`)
  const values = [panelId, organisationId]
  if (subscribed) await operate(operator, subscribing, values)
  else
    await withdrawing(operator, organisationId, async () => (await operate(operator, unsubscribing, values)).length > 0)
  return readPanel(operator, panel)
}

const subscribing = 'INSERT INTO panel_subscriptions (panel_id, organisation_id) VALUES ($1, $2) ON CONFLICT DO NOTHING'
const unsubscribing = `
  DELETE FROM panel_subscriptions WHERE panel_id = $1 AND organisation_id = $2 RETURNING organisation_id`

const selection = `
  SELECT p.id, p.key, p.name, o.key AS owner,
    ARRAY(SELECT s.key FROM panel_subscriptions JOIN organisations s ON s.id = organisation_id
          WHERE panel_id = p.id ORDER BY 1) AS subscribers,
    ARRAY(SELECT kind FROM panel_kinds WHERE panel_id = p.id ORDER BY 1) AS kinds
  FROM panels p JOIN organisations o ON o.id = p.owner_id`

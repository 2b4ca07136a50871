/**
 * The panels that the organisation `$1` owns or is subscribed to. Statements name the organisation although row-level security
 * would limit them too: each of the two is tested alone.
 */
export const readablePanels = `(
      SELECT id, key, name, owner_id = $1 AS owned FROM panels
      WHERE owner_id = $1 OR id IN (SELECT panel_id FROM panel_subscriptions WHERE organisation_id = $1)
    ) AS readable`

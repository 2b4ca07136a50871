-- Agents are searched panel by panel: by the letters alone, a search would go through the agents of everybody else first.
DROP INDEX agents_agent_prefix, agents_mac_prefix;
CREATE INDEX agents_panel_mac ON agents (panel_id, mac_key COLLATE "C") WHERE mac_key IS NOT NULL;

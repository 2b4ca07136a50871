/** A server with the minimum cost of reading one agent: Fastify, and one prepared query that returns the same JSON. */
import fastify from 'fastify'
import { Pool } from 'pg'

const pool = new Pool({ connectionString: process.env['BARE_POSTGRES_URL'], max: 20 })
const text = `
  SELECT json_build_object('package', i.name || ':' || p.name, 'isp', i.name, 'timezone', z.name, 'custom', c.custom) AS data
  FROM agents a JOIN current_metadata c ON c.agent_id = a.id LEFT JOIN isps i ON i.id = c.isp_id
    LEFT JOIN packages p ON p.id = c.package_id LEFT JOIN zones z ON z.id = c.zone_id
  WHERE a.unit_id = $1`

const app = fastify()
app.get<{ Params: { value: string } }>('/metadata/unit/:value', async ({ params }) => {
  const { rows } = await pool.query<{ data: unknown }>({ name: 'read', text, values: [params.value] })
  return { code: 'OK', message: 'Request successful', data: rows[0]?.data }
})
await app.listen({ host: '127.0.0.1', port: Number(process.env['BARE_PORT']) })

/** Types for the part of autocannon that the bench uses. The package has no types of its own. */
declare module 'autocannon' {
  type Options = { url: string; connections: number; duration: number; headers: Record<string, string> }
  type Result = { requests: { average: number }; non2xx: number; errors: number }
  export default function autocannon(options: Options): Promise<Result>
}

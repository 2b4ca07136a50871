INSERT INTO bg.metric_rollup (metric, prefilter, whole, day, block, isp_id, package_id, country, base, grain, panel, build, expires, results, total, squares, least, greatest, least_wide, greatest_wide, numerators, denominators, numerator_squares, products, denominator_squares, mean, variance, least_percentage, greatest_percentage, agents, units, sketch)
SELECT
  metric,
  prefilter,
  whole,
  day,
  block,
  isp_id,
  package_id,
  country,
  base,
  {1:UInt16},
  {3:UInt32},
  {77:UInt64},
  day + {400:UInt16},
  sum(results),
  sum(total),
  sum(squares),
  min(least),
  max(greatest),
  min(least_wide),
  max(greatest_wide),
  sum(numerators),
  sum(denominators),
  sum(numerator_squares),
  sum(products),
  sum(denominator_squares),
  avgMergeState(mean),
  varPopStableMergeState(variance),
  min(least_percentage),
  max(greatest_percentage),
  groupBitmapMergeState(agents),
  groupBitmapMergeState(units),
  sumMap(sketch)
FROM bg.metric_rollup
WHERE panel = {3:UInt32} AND build = {77:UInt64} AND grain = {2:UInt16}
  AND day BETWEEN toDate(toUInt16({20454:UInt16})) AND toDate(toUInt16({20455:UInt16}))
GROUP BY metric, prefilter, whole, day, block, isp_id, package_id, country, base

"""The 80/80 consistent speed of Measuring Broadband America by ISP, from files with the published columns.

Usage: consistent-speed.py FOLDER PROFILE_FROM [PACKAGES PACKAGES_FROM]

FOLDER contains unit-profile.csv, whose content holds from the UTC day PROFILE_FROM on, and curr_httpgetmt.csv,
curr_httpgetmt6.csv, curr_httppostmt.csv and curr_httppostmt6.csv. PACKAGES is a file for `broadgauge package import`, with
`--from PACKAGES_FROM`. Writes {metric: {"all" or "prefiltered": {isp: statistics}}} to the standard output.

The speed that 80 % of the homes have in 80 % of the peak period: percentile 20 over the homes of percentile 20 of each home.
The peak period is 19:00 to 23:00 of the home's clock, from Monday to Friday. Nothing here comes from the service: the clocks are
computed from the offsets of the unit profile and the law of the United States, not from a database of time zones.
"""

import csv
import datetime
import json
import sys

import numpy

PEAK_DAYS = range(0, 5)
PEAK_HOURS = range(19, 23)
MINIMUM_RESULTS = 5
MAXIMUM_BYTES_PER_SECOND = 10e9 / 8


def rows_of(path):
    """The rows of a file as dictionaries, without later lines that repeat the names."""
    with open(path, newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if row.get("unit_id") != "unit_id"]


def sunday(year, month, number):
    first = datetime.date(year, month, 1)
    return first + datetime.timedelta(days=(6 - first.weekday()) % 7 + 7 * (number - 1))


def on_the_clock_of(unit, utc):
    """Daylight saving time lasts from the second Sunday in March, 2:00, to the first Sunday in November, 2:00."""
    if unit["timezone_offset"] == "":
        return utc
    winter, summer = (datetime.timedelta(hours=float(unit[name])) for name in ("timezone_offset", "timezone_offset_dst"))
    two = datetime.time(2)
    begin = datetime.datetime.combine(sunday(utc.year, 3, 2), two) - winter
    end = datetime.datetime.combine(sunday(utc.year, 11, 1), two) - summer
    return utc + (summer if begin <= utc < end else winter)


def number(text):
    """A speed in Mbit/s, or None if it is not known, for example because it is a range."""
    return float(text) if text.replace(".", "", 1).isdigit() else None


def name_of(text):
    return f"{float(text):g}" if number(text) is not None else text


def package_of(unit):
    return unit["ISP"], f"{unit['Technology']} {name_of(unit['Download'])}/{name_of(unit['Upload'])}"


def plan_of(unit, day, direction, corrections, corrected_from):
    """The advertised speed on a UTC day in bit/s."""
    column = direction.capitalize()
    corrected = corrections.get(package_of(unit))
    # The first speeds of a package hold from the beginning.
    is_first = number(unit["Download"]) is None and number(unit["Upload"]) is None
    if corrected is not None and (is_first or day >= corrected_from):
        speed = number(corrected[f"{direction}_mbps"])
    else:
        speed = number(unit[column])
    return None if speed is None else round(speed * 1e6)


def whole_tests(folder, stem):
    """The row with the highest sequence of each test: the other rows describe the beginning of the same test."""
    last = {}
    for version in ("", "6"):
        for row in rows_of(f"{folder}/curr_{stem}{version}.csv"):
            key = (row["unit_id"], row["dtime"], row["target"], version)
            if key not in last or int(row["sequence"]) > int(last[key]["sequence"]):
                last[key] = row
    return last.values()


def is_plausible(row):
    return 0 < float(row["bytes_sec"]) <= MAXIMUM_BYTES_PER_SECOND and float(row["warmup_time"] or 0) > 0


def statistics(values, without_plan):
    """From the percentages of each home."""
    enough = [own for own in values if len(own) >= MINIMUM_RESULTS]
    homes = [float(numpy.quantile(own, 0.2, method="linear")) for own in enough]
    return {
        "consistentSpeed": float(numpy.quantile(homes, 0.2, method="linear")) if homes else None,
        "mean": float(numpy.mean(homes)) if homes else None,
        "agentCount": len(homes),
        "sampleCount": sum(len(own) for own in enough),
        "agentsBelowMinimum": len(values) - len(homes),
        "resultsWithoutPlan": without_plan,
    }


def by_isp(tests, profile, profile_from, direction, corrections, corrected_from):
    percentages, without_plan = {}, {}
    for row in tests:
        unit = profile.get(row["unit_id"])
        utc = datetime.datetime.fromisoformat(row["dtime"])
        day = utc.date().isoformat()
        # A unit has an ISP from the first day of the profile on.
        if unit is None or unit["ISP"] == "" or day < profile_from or int(row["successes"]) == 0:
            continue
        clock = on_the_clock_of(unit, utc)
        if clock.weekday() not in PEAK_DAYS or clock.hour not in PEAK_HOURS:
            continue
        isp = unit["ISP"]
        plan = plan_of(unit, day, direction, corrections, corrected_from)
        if plan is None:
            without_plan[isp] = without_plan.get(isp, 0) + 1
        else:
            percentage = 100 * 8 * float(row["bytes_sec"]) / plan
            percentages.setdefault(isp, {}).setdefault(row["unit_id"], []).append(percentage)
    return {isp: statistics(list(homes.values()), without_plan.get(isp, 0)) for isp, homes in percentages.items()}


folder, profile_from = sys.argv[1:3]
packages, corrected_from = sys.argv[3:5] if len(sys.argv) > 3 else (None, None)
profile = {unit["Unit ID"]: unit for unit in rows_of(f"{folder}/unit-profile.csv")}
corrections = {(row["isp"], row["package"]): row for row in rows_of(packages)} if packages else {}
found = {}
for metric, stem, direction in (("httpget", "httpgetmt", "download"), ("httppost", "httppostmt", "upload")):
    tests = whole_tests(folder, stem)
    found[metric] = {
        kind: by_isp(some, profile, profile_from, direction, corrections, corrected_from)
        for kind, some in (("all", tests), ("prefiltered", [row for row in tests if is_plausible(row)]))
    }
json.dump(found, sys.stdout)

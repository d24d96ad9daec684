#!/bin/sh
# Make every report again, each by the command in its report.json.
# Run it in the root of the repository: sh reports/make.sh [NAME...], such as `policies`.
# On two cores that takes about half a minute.
set -eu
program=${KQJ_SIM:-kqj-sim}
names=${*:-two_teams_taking three_teams_taking two_teams_auctions policies kwajongen}
for name in $names; do
    begun=$(date +%s)
    set -- --quiet --force --index --out "reports/$name"
    case $name in
    two_teams_taking) "$program" report "$@" --deals 1e6 ;;
    three_teams_taking) "$program" report "$@" --deals 1e6 --teams 3 ;;
    two_teams_auctions) "$program" report "$@" --deals 1e6 --bidding auction ;;
    policies)
        "$program" report "$@" --deals 20000 --games 500 --chart-deals 20000 --policy points+greedy \
            --compare points+greedy --compare bold+greedy --compare standard --compare-deals 6000 ;;
    kwajongen)
        "$program" report "$@" --game kwajongen --deals 1e6 --games 20000 --compare random \
            --compare standard --compare-deals 10000 ;;
    *) echo "no report is called $name" >&2; exit 2 ;;
    esac
    echo "$name: $(($(date +%s) - begun)) s"
done

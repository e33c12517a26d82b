"""What if: two runs compared, wrong beliefs against the truth, a number swept, the smallest change, the fewest records.

All of this runs the one engine on changed scenarios and reads rows and facts. No rule of Flink is repeated here.
"""

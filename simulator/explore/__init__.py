"""What if: two runs compared, wrong beliefs beside the truth, a number swept, the smallest change, the fewest records.

All of it runs the one engine on changed scenarios and reads rows and facts; no rule of Flink is written down here.
"""

"""Screen of the table: pages drawn from views, their input, their commands. Knows no state and no
judgement.
"""
